import { existsSync } from 'node:fs'
import type { MediaType } from '../../../schemas/media.ts'
import type { FrameTarget, VideoTarget } from '../../../schemas/video-target.ts'
import { type RunOptions, runFfmpeg, THREADS } from './ffmpeg.ts'

/** A video on this machine. */
export interface VideoSource {
  path: string
  mimeType: MediaType
  durationSeconds: number | null
}

const SAMPLE_RATE = 48_000
/** The quality above which no difference shows. */
const QUALITY = 20
/** A file whose result may have any size is bounded by its rate of bits. */
const BYTES_PER_BIT = 1 / 6
const FRAME_BYTES_MAX = 64 * 2 ** 20

type Run = Omit<RunOptions, 'bytesMax'>

/** Opens one local file, as the type that was found in it: no playlist, and no address. */
const inputOf = ({ path, mimeType }: VideoSource) => [
  ...['-threads', String(THREADS), '-protocol_whitelist', 'file'],
  ...['-f', mimeType === 'video/webm' ? 'matroska' : 'mov', '-i', path],
]

/** Writes the video to `path` as its target wants it: upright, without metadata. */
export async function drawVideo(source: VideoSource, path: string, target: VideoTarget, run: Run): Promise<void> {
  const { fps, videoBitsPerSecond: rate, bytesMax } = target
  const seconds = (source.durationSeconds ?? 0) + 10
  const bytes = bytesMax ?? Math.ceil(rate * seconds * BYTES_PER_BIT)
  const args = [
    ...inputOf(source),
    ...['-map', '0:v:0', '-map', '0:a:0?', '-map_metadata', '-1', '-map_chapters', '-1', '-fflags', '+bitexact'],
    ...['-vf', filtersOf(target), '-filter_threads', '1', '-threads', String(THREADS)],
    ...['-c:v', 'libx264', '-preset', 'veryfast', '-profile:v', 'high', '-pix_fmt', 'yuv420p'],
    ...['-crf', String(QUALITY), '-maxrate', String(rate), '-bufsize', String(rate), '-g', String(Math.round(fps * 2))],
    ...[
      '-c:a',
      'aac',
      '-b:a',
      '128k',
      '-ac',
      '2',
      '-ar',
      String(SAMPLE_RATE),
      '-movflags',
      '+faststart',
      '-f',
      'mp4',
      path,
    ],
  ]
  await runFfmpeg(args, { ...run, bytesMax: bytes })
}

const TRANSFERS = { pq: 'smpte2084', hlg: 'arib-std-b67' } as const

/**
 * BT.2100 becomes BT.709. White is 203 cd/m² in both (ITU-R BT.2408): what is darker than a third of it stays as it is,
 * and the rest is compressed.
 */
const toStandardRange = (transfer: keyof typeof TRANSFERS) => [
  `zscale=transferin=${TRANSFERS[transfer]}:primariesin=bt2020:matrixin=bt2020nc:transfer=linear:npl=203`,
  'format=gbrpf32le',
  'zscale=primaries=bt709',
  'tonemap=mobius:desat=0',
  'zscale=transfer=bt709:matrix=bt709:range=tv',
  'format=yuv420p',
]

function filtersOf({ width, height, fps, crop, pad, isInterlaced, transfer }: VideoTarget): string {
  const inner = pad ?? { width, height }
  return [
    ...(isInterlaced ? ['bwdif=mode=send_frame'] : []),
    ...(crop ? [`crop=iw*${crop.width}:ih*${crop.height}:iw*${crop.left}:ih*${crop.top}`] : []),
    `scale=${inner.width}:${inner.height}:flags=bicubic`,
    'setsar=1',
    ...(transfer ? toStandardRange(transfer) : []),
    ...(pad ? [`pad=${width}:${height}:(ow-iw)/2:(oh-ih)/2:color=0x${pad.color.slice(1)}`] : []),
    `fps=${fps}`,
  ].join(',')
}

/** Writes a picture of the beginning of a video to `path`, as PNG. */
export async function drawFrame(
  source: VideoSource,
  path: string,
  { frameWidth, transfer }: FrameTarget & Pick<VideoTarget, 'transfer'>,
  run: Run,
): Promise<void> {
  const size = `scale=min(${frameWidth}\\,iw*sar):-2,setsar=1`
  const filters = [size, ...(transfer ? toStandardRange(transfer) : [])].join(',')
  // The last picture may begin earlier: ffmpeg writes no file then.
  for (const at of [Math.min(1, (source.durationSeconds ?? 0) / 2), 0]) {
    const args = ['-ss', at.toFixed(2), ...inputOf(source), '-map', '0:v:0', '-vf', filters, '-frames:v', '1']
    await runFfmpeg([...args, '-f', 'image2', '-c:v', 'png', path], { ...run, bytesMax: FRAME_BYTES_MAX })
    if (existsSync(path)) return
  }
}
