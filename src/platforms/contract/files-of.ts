import type { PostTypeRule } from './limits.ts'

type Counts = 'mediaMin' | 'mediaMax' | 'imagesMax' | 'videosMax' | 'gifsMax' | 'mixed' | 'gifAlone'

interface Files {
  min?: number
  max: number
  /** Absent: `max`. */
  images?: number
  videos?: number
  gifs?: number
  mixed?: boolean
  gifAlone?: boolean
}

/** How many files a post may have. Videos and GIFs are rejected unless they have a number. */
export const filesOf = ({
  min = 0,
  max,
  images = max,
  videos = 0,
  gifs = 0,
  mixed = false,
  ...others
}: Files): Pick<PostTypeRule, Counts> => ({
  mediaMin: min,
  mediaMax: max,
  imagesMax: images,
  videosMax: videos,
  gifsMax: gifs,
  mixed,
  ...others,
})

export const ONE_VIDEO = filesOf({ min: 1, max: 1, images: 0, videos: 1 })
