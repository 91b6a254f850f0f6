import { Type } from '@sinclair/typebox'
import { errorResponse } from '../../error.ts'
import { MediaPath, UNUSED_MEDIA_ID } from '../../media.ts'
import { Deleted, JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'
import { notFound, usedElsewhere } from './common.ts'

export const deleteMedia = defineOperation({
  method: 'DELETE',
  path: '/media/:id',
  scope: 'media:write',
  conditionalScope: { scope: 'posts:publish', when: 'for a file that a failed delivery would publish' },
  takesAccountLists: true,
  operationId: 'deleteMedia',
  tag: 'media',
  summary: 'Delete a file',
  description: `Deletes one of your images or videos permanently. A file cannot be deleted (409) while a draft or a scheduled post uses it. The same holds while a delivery of a published post may still send it.

Published posts are not changed on their networks. A failed delivery that needs the file cannot be retried afterwards: it has the error \`media_deleted\`. A body is ignored.`,
  params: Type.Object({ id: { ...MediaPath.properties.id, examples: [UNUSED_MEDIA_ID] } }),
  success: { 200: JsonResponse(Deleted, 'The file no longer exists.', { deleted: Deleted.examples[0] }) },
  errors: [
    usedElsewhere,
    notFound,
    errorResponse('A post that is still to be published uses the file.', ['media_in_use']),
  ],
  sdk: 'media.delete',
})
