import htm from 'htm'
import { h, type VNode } from 'preact'

type Template = (strings: TemplateStringsArray, ...values: unknown[]) => VNode

/** Templates of elements. Values become text or properties, and never markup. Types of htm allow several elements. */
export const html = (htm as unknown as { bind(create: typeof h): Template }).bind(h)
