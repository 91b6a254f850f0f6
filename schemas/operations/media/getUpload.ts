import { MediaPath } from '../../media.ts'
import { JsonResponse } from '../../shared.ts'
import { Upload } from '../../upload.ts'
import { defineOperation } from '../define-operation.ts'
import { notFound } from './common.ts'

export const getUpload = defineOperation({
  method: 'GET',
  path: '/media/:id/upload',
  scope: 'media:read',
  takesAccountLists: true,
  operationId: 'getUpload',
  tag: 'media',
  summary: 'Get the state of an upload',
  description:
    'Returns how many bytes of a file have arrived at its address, whether it is ready, and why it failed. A file that was added in another way is `ready`.',
  params: MediaPath,
  success: {
    200: JsonResponse(Upload, 'The upload.', {
      pending: Upload.examples[0],
      ready: Upload.examples[1],
      failed: Upload.examples[2],
    }),
  },
  errors: [notFound],
  sdk: 'uploads.get',
  tool: {
    title: 'Get the state of an upload',
    description:
      'Tells whether the file of request_upload is there and can be published, how many bytes have arrived, or why it was rejected.',
  },
})
