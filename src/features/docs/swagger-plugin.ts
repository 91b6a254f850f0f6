import type { Chapter } from './chapters.ts'

/*
 * The part of Swagger UI that is ours. `swaggerPlugin` runs in the browser: it is sent as its source text, and can use
 * nothing outside of itself.
 */

interface Immutable {
  get(key: string): Immutable & string
  getIn(path: string[]): (Immutable & string) | undefined
  toJS(): unknown
  map(change: (value: Immutable, key: string) => Immutable): Immutable
  filter(isKept: (value: Immutable) => boolean): Immutable
  update(key: string, change: (value: Immutable) => Immutable): Immutable
  size: number
}

interface System {
  React: {
    createElement(type: unknown, props: object | null, ...children: unknown[]): unknown
    useEffect(effect: () => void, dependencies: unknown[]): void
    useState<T>(value: T): [T, (value: T) => void]
  }
  getComponent(name: string, isContainer?: boolean): unknown
  specActions: { updateJsonSpec(document: unknown): void }
  specSelectors: { specJson(): Immutable; loadingStatus(): string }
  layoutSelectors: { currentFilter(): unknown }
  layoutActions: { updateFilter(text: string): void }
}

interface ResponseProps {
  code: string
  response: Immutable
  className?: string
}

interface Link {
  getAttribute(name: string): string
}

interface Page {
  location: { hash: string; pathname: string }
  document: { getElementById(id: string): { open: boolean; scrollIntoView(): void } | null }
}

interface ClickEvent {
  target: { closest(selector: string): Link | null }
  preventDefault(): void
  stopPropagation(): void
}

type Tree = { [key: string]: Tree }

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the browser gets its source text, without other functions
export function swaggerPlugin({ React }: System) {
  // The types of the service have no DOM.
  const page = globalThis as unknown as Page
  const { createElement: h, useEffect, useState } = React

  /** A value of the document with its references replaced, except for those that lead back to where they stand. */
  function resolveReferences(value: unknown, document: Tree, within: string[] = []): unknown {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map((item) => resolveReferences(item, document, within))
    const { $ref, ...others } = value as Tree & { $ref?: string }
    if ($ref && within.includes($ref)) return value
    const own = Object.entries(others).map(([key, item]) => [key, resolveReferences(item, document, within)])
    const resolved = Object.fromEntries(own)
    if (!$ref) return resolved
    const target = at($ref.split('/').slice(1), document)
    return { ...(resolveReferences(target, document, [...within, $ref]) as object), ...resolved, $$ref: $ref }
  }

  const at = (path: string[], document: Tree) => path.reduce((node, key) => node[key]!, document)

  /** The box that filters operations by any word that their lines show. */
  function FilterContainer({ layoutSelectors, layoutActions }: System) {
    const filter = layoutSelectors.currentFilter()
    return h(
      'div',
      { className: 'filter-container' },
      h(
        'div',
        { className: 'filter wrapper' },
        h('input', {
          className: 'operation-filter-input',
          type: 'search',
          placeholder: 'Filter operations by name, path or text',
          'aria-label': 'Filter operations',
          value: typeof filter === 'string' ? filter : '',
          onChange: ({ target }: { target: { value: string } }) => layoutActions.updateFilter(target.value),
        }),
      ),
    )
  }

  /** An operation has up to ten error responses, with which it would fill six screens: each opens by a click. */
  const wrapResponse = (Response: unknown) => (props: ResponseProps) => {
    const { code, response, className = '' } = props
    const [isOpen, setOpen] = useState(code < '400')
    if (isOpen) return h(Response, props)
    const texts = response
      .get('description')
      .split('`')
      .map((text, index) => (index % 2 ? h('code', null, text) : text))
    const open = h('button', { className: 'open-response', onClick: () => setOpen(true) }, ...texts)
    return h(
      'tr',
      { className: `response ${className}`, 'data-code': code },
      h('td', { className: 'response-col_status' }, code),
      h('td', { className: 'response-col_description', colSpan: 2 }, open),
    )
  }

  function ChapterText({ name, title, text, getComponent }: Chapter & Pick<System, 'getComponent'>) {
    // Rendering all texts would take longer than the rest of the page.
    const [wasOpened, setOpened] = useState(false)
    const id = `chapter-${name}`
    useEffect(() => {
      if (wasOpened && page.location.hash.endsWith(id)) page.document.getElementById(id)?.scrollIntoView()
    }, [wasOpened])
    return h(
      'details',
      { id, className: 'chapter', onToggle: () => setOpened(true) },
      h('summary', null, title),
      wasOpened && h('a', { href: `${page.location.pathname.replace(/\/$/, '')}/${name}.md` }, 'as Markdown'),
      wasOpened && h(getComponent('Markdown', true), { source: text.slice(text.indexOf('\n')) }),
    )
  }

  function PostroomLayout({ getComponent, specSelectors }: System) {
    const chapters = (specSelectors.specJson().get('x-chapters')?.toJS() ?? []) as Chapter[]
    const show = (hash: string) => {
      // Swagger UI inserts the slash.
      const id = hash.replace(/^#\/?/, '')
      const details = id.startsWith('chapter-') && page.document.getElementById(id)
      if (!details) return false
      page.location.hash = id
      details.open = true
      return true
    }
    useEffect(() => void show(page.location.hash), [chapters.length])
    // Swagger UI opens links of texts in a new tab, and its tags at any click.
    const onClickCapture = (event: ClickEvent) => {
      const hash = event.target.closest('a[href^="#"]')?.getAttribute('href') ?? ''
      if (!show(hash)) return
      event.preventDefault()
      event.stopPropagation()
    }
    return h(
      'div',
      { onClickCapture },
      h(getComponent('BaseLayout', true), null),
      h(
        'div',
        { className: 'swagger-ui' },
        h(
          'section',
          { className: 'wrapper chapters' },
          chapters.length > 0 && h('h2', null, 'Chapters'),
          ...chapters.map((chapter) => h(ChapterText, { ...chapter, key: chapter.name, getComponent })),
        ),
      ),
    )
  }

  return {
    fn: {
      // The resolver of Swagger UI reads the whole document for each operation, which takes seconds.
      resolveSubtree: async (document: Tree, path: string[]) => ({
        spec: resolveReferences(at(path, document), document),
        errors: [],
      }),
      opsFilter: (tags: Immutable, phrase: string) => {
        const words = phrase.toLowerCase().split(/\s+/)
        return tags
          .map((tag, name) =>
            tag.update('operations', (operations) =>
              operations.filter((item) => {
                const texts = ['operationId', 'summary'].map((key) => item.getIn(['operation', key]))
                const line = [name, item.get('method'), item.get('path'), ...texts].join(' ').toLowerCase()
                return words.every((word) => line.includes(word))
              }),
            ),
          )
          .filter((tag) => tag.get('operations').size > 0)
      },
    },
    components: { FilterContainer, PostroomLayout },
    wrapComponents: { response: wrapResponse },
    statePlugins: {
      spec: {
        wrapActions: {
          // Swagger UI would parse the document as YAML, which takes a second.
          parseToJson:
            (_: unknown, { specActions }: System) =>
            (text: string) =>
              specActions.updateJsonSpec(JSON.parse(text)),
        },
      },
      layout: {
        wrapSelectors: {
          // The first tag is open, and those in which a filter finds something.
          isShown:
            (isShown: (key: string[], byDefault: boolean) => boolean, { layoutSelectors, specSelectors }: System) =>
            (_state: unknown, key: string[], byDefault: boolean) => {
              const isTag = key[0] === 'operations-tag'
              const filter = layoutSelectors.currentFilter()
              const isFiltered = typeof filter === 'string' && filter !== ''
              const first = specSelectors.specJson().getIn(['tags', '0', 'name'])
              return isShown(key, byDefault || (isTag && (isFiltered || key[1] === first)))
            },
        },
      },
    },
  }
}
