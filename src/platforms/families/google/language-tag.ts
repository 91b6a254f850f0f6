/** Language tags of BCP 47. Their grammar also allows words of up to 8 letters, of which none is registered. */
export const LANGUAGE_TAG = {
  regex: /^[A-Za-z]{2,3}(?:-[A-Za-z\d]{1,8})*$/,
  expected: 'a language tag (BCP 47) such as en or pt-BR',
}
