import type { Profile } from '../contract/io.ts'

/** The picture in a profile; nothing for an address that the network did not give. */
export const avatarOf = (avatarUrl: string | undefined): Pick<Profile, 'avatarUrl'> => (avatarUrl ? { avatarUrl } : {})
