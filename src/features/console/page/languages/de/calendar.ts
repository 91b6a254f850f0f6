import type { calendar as english } from '../en/calendar.ts'
import type { Translated } from '../table.ts'

export const calendar = {
  calendar: 'Kalender',
  today: 'Heute',
  view: 'Ansicht',
  views: { month: 'Monat', week: 'Woche', list: 'Liste' },
  allPosts: 'Alle Beiträge',
  select: 'Auswählen',
  newPost: 'Neuer Beitrag',
  newPostOn: 'Neuer Beitrag: {time}',
  nothing: 'Hier ist nichts geplant.',
  nothingYet: 'Hier ist nichts geplant. {link}, oder klicken Sie auf einen freien Tag.',
  compose: 'Verfassen Sie einen Beitrag',
  day: { one: '{day}, {count} Beitrag', other: '{day}, {count} Beiträge' },
  fewer: 'Weniger',
  more: { one: '{count} weiterer', other: '{count} weitere' },
  shareOf: '{count} von {total}',
  night: 'Stunden der Nacht',
  fold: 'Nacht einklappen',
  unfold: 'Nacht ausklappen',
  filters: {
    words: 'Wörter oder Referenz',
    search: 'Beiträge suchen',
    network: 'Netzwerk',
    networks: 'Alle Netzwerke',
    state: 'Zustand',
    states: 'Alle Zustände',
  },
  list: {
    order: 'Reihenfolge',
    latest: 'Alle, neueste zuerst',
    next: 'Ab jetzt, nächste zuerst',
    none: 'Kein Beitrag passt zu den Filtern. Beiträge ohne Zeit stehen bei den Entwürfen.',
  },
  drafts: {
    title: 'Entwürfe',
    drop: 'Ziehen Sie einen Beitrag hierher, um ihn zurückzunehmen.',
    none: 'Keine Entwürfe.',
    noneYet: 'Keine Entwürfe. Ein Beitrag ohne Zeit ist einer.',
    more: 'Mehr Entwürfe',
  },
  moves: {
    changed: 'Der Beitrag wurde inzwischen geändert, sehen Sie ihn noch einmal an.',
    past: '{time} ist vorbei. Um den Beitrag jetzt zu veröffentlichen, öffnen Sie ihn.',
    failed: 'Nicht verschoben: {reason}',
    moved: 'Verschoben auf {time}.',
    scheduled: 'Geplant für {time}.',
    withdrawn: 'Zurück bei den Entwürfen.',
    cancelled: 'Er ist für {accounts} abgebrochen und ginge wieder dorthin. Öffnen Sie ihn im Editor.',
    noTime: 'Ein Entwurf hat keine Zeit.',
    published: 'Er ist veröffentlicht.',
  },
  bulk: {
    title: 'Ausgewählte Beiträge',
    selected: { one: '{count} ausgewählt', other: '{count} ausgewählt' },
    selectShown: 'Alle angezeigten auswählen',
    selectPost: 'Auswählen: {text}',
    shift: 'Verschieben',
    shiftHelp: 'Jeder Beitrag behält seine Uhrzeit. Entwürfe und veröffentlichte Beiträge bleiben, wie sie sind.',
    days: 'Tage, unter 0 für früher',
    moveTo: 'Auf einen Tag legen',
    moveHelp: 'Jeder Beitrag behält seine Uhrzeit. Entwürfe bekommen eine und werden geplant.',
    day: 'Tag',
    retryHelp: {
      one: 'Was bei {count} der Beiträge fehlt, wird in Sekunden gesendet: an jedes Konto, bei dem er fehlgeschlagen ist oder verpasst wurde.',
      other:
        'Was bei {count} der Beiträge fehlt, wird in Sekunden gesendet: an jedes Konto, bei dem sie fehlgeschlagen sind oder verpasst wurden.',
    },
    deleteHelp: {
      one: '{count} Beitrag wird gelöscht, und nichts davon wird veröffentlicht. Das lässt sich nicht rückgängig machen. Veröffentlichte Beiträge bleiben.',
      other:
        '{count} Beiträge werden gelöscht, und nichts davon wird veröffentlicht. Das lässt sich nicht rückgängig machen. Veröffentlichte Beiträge bleiben.',
    },
    done: 'Fertig',
  },
  results: {
    shifted: {
      all: { one: '{count} Beitrag verschoben.', other: '{count} Beiträge verschoben.' },
      some: {
        one: '{done} von {count} Beitrag verschoben. Die anderen sind, wie sie waren:',
        other: '{done} von {count} Beiträgen verschoben. Die anderen sind, wie sie waren:',
      },
    },
    moved: {
      all: { one: '{count} Beitrag verschoben.', other: '{count} Beiträge verschoben.' },
      some: {
        one: '{done} von {count} Beitrag verschoben. Die anderen sind, wie sie waren:',
        other: '{done} von {count} Beiträgen verschoben. Die anderen sind, wie sie waren:',
      },
    },
    movedBack: {
      all: { one: '{count} Beitrag zurückverschoben.', other: '{count} Beiträge zurückverschoben.' },
      some: {
        one: '{done} von {count} Beitrag zurückverschoben. Die anderen sind, wie sie waren:',
        other: '{done} von {count} Beiträgen zurückverschoben. Die anderen sind, wie sie waren:',
      },
    },
    retried: {
      all: { one: '{count} Beitrag erneut gesendet.', other: '{count} Beiträge erneut gesendet.' },
      some: {
        one: '{done} von {count} Beitrag erneut gesendet. Die anderen sind, wie sie waren:',
        other: '{done} von {count} Beiträgen erneut gesendet. Die anderen sind, wie sie waren:',
      },
    },
    deleted: {
      all: { one: '{count} Beitrag gelöscht.', other: '{count} Beiträge gelöscht.' },
      some: {
        one: '{done} von {count} Beitrag gelöscht. Die anderen sind, wie sie waren:',
        other: '{done} von {count} Beiträgen gelöscht. Die anderen sind, wie sie waren:',
      },
    },
  },
} satisfies Translated<typeof english>
