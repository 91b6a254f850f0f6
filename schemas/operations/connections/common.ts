import { errorResponse, unavailableResponse } from '../../error.ts'

export const notFoundResponse = errorResponse('You have no connection with this id, or it is older than 24 hours.', [
  'connection_not_found',
])

export const noKeyResponse = unavailableResponse(
  ' `Credentials key not set`: the operator has not configured `CREDENTIALS_KEY`, so accounts cannot be connected. `Stored credentials are encrypted with a key …`: the operator has to add that key to `CREDENTIALS_KEY`.',
  ['credentials_key_missing', 'credentials_key_mismatch'],
)
