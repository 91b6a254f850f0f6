/** https://www.loc.gov/standards/iso639-2/php/code_list.php */
const TWO_LETTERS = new Set(
  `aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo
  es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg
  ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn
  no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta
  te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu`.split(/\s+/),
)

export const isTwoLetterLanguage = (code: string): boolean => TWO_LETTERS.has(code)

const NAMES = {
  language: new Intl.DisplayNames('en', { type: 'language', fallback: 'none' }),
  script: new Intl.DisplayNames('en', { type: 'script', fallback: 'none' }),
  region: new Intl.DisplayNames('en', { type: 'region', fallback: 'none' }),
}

/** Whether a BCP 47 tag has a language, and perhaps a script and a region, that Unicode's data know. */
export function isKnownLanguage(tag: string): boolean {
  try {
    const { baseName, language, script, region } = new Intl.Locale(tag)
    const parts = [language, script, region].filter((part) => part !== undefined)
    return (
      baseName === parts.join('-') &&
      NAMES.language.of(language) !== undefined &&
      (script === undefined || NAMES.script.of(script) !== undefined) &&
      (region === undefined || NAMES.region.of(region) !== undefined)
    )
  } catch {
    return false
  }
}
