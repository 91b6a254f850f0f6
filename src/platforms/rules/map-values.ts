/** A record of rules with each one changed, as the limits of one account have them. */
export const mapValues = <T extends object>(
  record: T,
  map: (value: NonNullable<T[keyof T]>, key: string) => unknown,
): T => Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)])) as T
