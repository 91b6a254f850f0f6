import type { Person, World } from '../../helpers/app.ts'

/** An owner who changes captions. */
export interface Editor {
  /** Changes the caption of each post that is not out. */
  edit(): Promise<void>
  /** The captions that were replaced. No network may show them. */
  replaced: Set<string>
  /** How many changes were rejected. */
  rejected(): number
}

export function createEditor({ db }: World, owner: Person): Editor {
  const replaced = new Set<string>()
  let [versions, rejected] = [0, 0]
  return {
    replaced,
    rejected: () => rejected,
    async edit() {
      const posts = db.selectFrom('posts').select(['id', 'caption']).where('status', '=', 'scheduled')
      for (const { id, caption } of await posts.where('postType', '=', 'post').orderBy('id').execute()) {
        const [first] = caption.split(', ')
        const { status, body } = await owner.call('PATCH', `/posts/${id}`, {
          caption: `${first}, version ${++versions}`,
        })
        if (status === 200) replaced.add(caption)
        else if (status === 400 || status === 409) rejected++
        else throw new Error(`${status} ${JSON.stringify(body)}`)
      }
    },
  }
}
