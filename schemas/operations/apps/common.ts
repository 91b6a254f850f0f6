import { errorResponse } from '../../error.ts'
import { errorOf } from '../../errors.ts'

export const noAccessResponse = errorResponse(
  'You do not belong to this organisation, or it does not exist, or you are not one of its admins.',
  [errorOf('no_access', 'organizationId', '0196f0c4-9a3d-7b15-8e20-5d7f41a6c893'), 'not_organization_admin.apps'],
)
