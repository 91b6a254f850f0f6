import { MediaDetail, MediaPath } from '../../media.ts'
import { JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'
import { notFound } from './common.ts'

export const getMedia = defineOperation({
  method: 'GET',
  path: '/media/:id',
  scope: 'media:read',
  takesAccountLists: true,
  operationId: 'getMedia',
  tag: 'media',
  summary: 'Get the properties of a file',
  description:
    'Returns the properties of one of your images or videos, the ids of posts that use it, and the renditions that networks get in its place. `getMediaContent` returns its bytes. An admin of an organisation may also use the files of other members that posts of the organisation show.',
  params: MediaPath,
  success: {
    200: JsonResponse(MediaDetail, 'The file.', { image: MediaDetail.examples[0], video: MediaDetail.examples[1] }),
  },
  errors: [notFound],
  sdk: 'media.get',
})
