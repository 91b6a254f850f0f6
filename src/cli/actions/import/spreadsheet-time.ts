/** The order of day and month in the dates of a file. */
export type DateOrder = 'mdy' | 'dmy'

/** A date and time with a space between them, as spreadsheets write it. */
const SPACED = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d(?::\d\d)?)$/

/**
 * A date as Excel saves it in a CSV file: in the order and with the signs of the system's language, such as
 * `1/15/2027 9:30 PM`, `15/01/2027 09:30` or `15.01.2027 09:30`. The text alone does not tell the order.
 */
const EXCEL =
  /^(?<first>\d{1,2})(?<sign>[./-]) ?(?<second>\d{1,2})\k<sign> ?(?<year>\d{4}|\d\d)(?:,? +(?<hour>\d{1,2})[:.](?<minute>\d\d)(?:[:.](?<seconds>\d\d))?(?: *(?<half>[ap])\.? ?m\.?)?)?$/i

/** The time as ISO 8601 if the text is that of a spreadsheet, otherwise the text; or the problem of a date. */
export function readSpreadsheetTime(
  text: string,
  order: DateOrder | undefined,
): { time: string } | { problem: string } {
  const found = EXCEL.exec(text)?.groups
  if (!found) return { time: text.replace(SPACED, '$1T$2') }
  const { first, second, year, hour, minute, seconds, half } = found
  if (order === undefined) {
    return {
      problem: `${text} is a date of Excel, which may begin with the month or the day: add --dates mdy if it is the month, --dates dmy if it is the day`,
    }
  }
  if (year!.length < 4) {
    return { problem: `the year of ${text} has two digits: format the column as yyyy-mm-dd hh:mm in Excel` }
  }
  if (hour === undefined) return { problem: `${text} has no time of day, such as 09:30` }
  const hours = toHours(Number(hour), half?.toLowerCase())
  if (hours === undefined) return { problem: `${text} has no hour from 1 to 12 before ${half}m` }
  const [month, day] = order === 'mdy' ? [first, second] : [second, first]
  const pad = (value: string | number) => String(value).padStart(2, '0')
  return {
    time: `${year}-${pad(month!)}-${pad(day!)}T${pad(hours)}:${minute}${seconds === undefined ? '' : `:${seconds}`}`,
  }
}

/** The hour from 0 to 23. */
function toHours(hour: number, half: string | undefined): number | undefined {
  if (half === undefined) return hour
  if (hour < 1 || hour > 12) return undefined
  return (hour % 12) + (half === 'p' ? 12 : 0)
}
