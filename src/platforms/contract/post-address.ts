/** An account, as the addresses of its posts name it. */
export interface AddressedAccount {
  username: string
  /** Null if it was never connected. */
  externalId: string | null
}

/** The addresses of posts of one network, as people copy them from a browser. */
export interface PostAddresses {
  /** An address with names in place of its parts, for messages. */
  form: string
  /** The hosts, without `www.` and `m.` at their beginning; or the one on which the account is. */
  hosts: RegExp | ((account: AddressedAccount) => string)
  /**
   * The addresses that tell something: host, path and query. The group `id` is that of the post, `owner` names the
   * account. Nobody can derive the id from other addresses.
   */
  patterns: readonly RegExp[]
  /** How `owner` may name the account. Absent: by its username. */
  ownersOf?: (account: AddressedAccount) => readonly (string | null)[]
  /** The id as `Sent` has it. Absent: as it is in the address. */
  toId?: (id: string, externalId: string) => string
}
