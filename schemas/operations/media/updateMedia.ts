import { errorResponse, invalidRequestResponse } from '../../error.ts'
import { ALT_TEXT_DELIVERIES_MAX } from '../../errors.ts'
import { Media, MediaPath, UPDATE_MEDIA_EXAMPLES, UpdateMedia } from '../../media.ts'
import { Body, JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'
import { IMAGE, notFound, usedElsewhere } from './common.ts'

export const updateMedia = defineOperation({
  method: 'PATCH',
  path: '/media/:id',
  scope: 'media:write',
  conditionalScope: {
    scope: 'posts:publish',
    when: 'for a file that a scheduled post or a failed delivery would publish',
  },
  takesAccountLists: true,
  operationId: 'updateMedia',
  tag: 'media',
  summary: 'Change the alternative text or the focus of a file',
  description: `Changes or removes the alternative text or the focus of one of your images or videos, or both. Posts that are already published are not changed. Posts that are still to be published get the new values: each of them, drafts included, has a new ETag, and an event \`post.updated\`. They may have up to ${ALT_TEXT_DELIVERIES_MAX} deliveries (409). A post with \`mediaFit\` \`crop\` keeps the crop that it has: its next \`updatePost\` crops the file again, around the new focus.`,
  params: MediaPath,
  body: Body(UpdateMedia, UPDATE_MEDIA_EXAMPLES),
  success: { 200: JsonResponse(Media, 'The changed file.', { changed: IMAGE }) },
  errors: [
    invalidRequestResponse('The body does not match its schema.', {
      missingAltText: {
        code: 'invalid_type',
        expected: 'string',
        received: 'undefined',
        path: ['altText'],
        message: 'Required',
      },
    }),
    usedElsewhere,
    notFound,
    errorResponse('Too many deliveries may still publish the file.', ['media_in_too_many_posts']),
  ],
  sdk: 'media.update',
})
