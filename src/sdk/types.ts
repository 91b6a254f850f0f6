/** Types only. The package has the same names in this file, generated from the OpenAPI document by `make sdk`. */
export type * from '../../schemas/client-types.ts'
