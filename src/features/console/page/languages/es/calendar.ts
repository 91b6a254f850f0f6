import type { calendar as english } from '../en/calendar.ts'
import type { Translated } from '../table.ts'

export const calendar = {
  calendar: 'Calendario',
  today: 'Hoy',
  view: 'Vista',
  views: { month: 'Mes', week: 'Semana', list: 'Lista' },
  allPosts: 'Todas las publicaciones',
  select: 'Seleccionar',
  newPost: 'Nueva publicación',
  newPostOn: 'Nueva publicación: {time}',
  nothing: 'Aquí no hay nada programado.',
  nothingYet: 'Aquí no hay nada programado. {link} o haz clic en un día libre.',
  compose: 'Redacta una publicación',
  day: { one: '{day}, {count} publicación', other: '{day}, {count} publicaciones' },
  fewer: 'Menos',
  more: { one: '{count} más', other: '{count} más' },
  shareOf: '{count} de {total}',
  night: 'Horas de la noche',
  fold: 'Plegar la noche',
  unfold: 'Desplegar la noche',
  filters: {
    words: 'Palabras o referencia',
    search: 'Buscar publicaciones',
    network: 'Red',
    networks: 'Todas las redes',
    state: 'Estado',
    states: 'Todos los estados',
  },
  list: {
    order: 'Orden',
    latest: 'Todas, las últimas primero',
    next: 'Desde ahora, las próximas primero',
    none: 'Ninguna publicación cumple los filtros. Una publicación sin hora está entre los borradores.',
  },
  drafts: {
    title: 'Borradores',
    drop: 'Suelta aquí una publicación para devolverla a los borradores.',
    none: 'No hay borradores.',
    noneYet: 'No hay borradores. Una publicación sin hora lo es.',
    more: 'Más borradores',
  },
  moves: {
    changed: 'la publicación ha cambiado entretanto, mírala de nuevo',
    past: '{time} ya ha pasado. Para publicar ahora, abre la publicación.',
    failed: 'No se ha movido: {reason}',
    moved: 'Movida a {time}.',
    scheduled: 'Programada para {time}.',
    withdrawn: 'De vuelta en los borradores.',
    cancelled: 'está cancelada en {accounts}, que la recibiría de nuevo. Ábrela en el editor.',
    noTime: 'un borrador no tiene hora',
    published: 'está publicada',
  },
  bulk: {
    title: 'Publicaciones seleccionadas',
    selected: { one: '{count} seleccionada', other: '{count} seleccionadas' },
    selectShown: 'Seleccionar todas las visibles',
    selectPost: 'Seleccionar: {text}',
    shift: 'Desplazar',
    shiftHelp: 'Cada publicación conserva su hora del día. Los borradores y lo publicado quedan como están.',
    days: 'Días, menos de 0 para antes',
    moveTo: 'Mover a un día',
    moveHelp: 'Cada publicación conserva su hora del día. Los borradores reciben una y se programan.',
    day: 'Día',
    retryHelp: {
      one: 'Lo que falta de {count} de las publicaciones se envía en segundos a cada cuenta en la que falló o se perdió.',
      other:
        'Lo que falta de {count} de las publicaciones se envía en segundos a cada cuenta en la que fallaron o se perdieron.',
    },
    deleteHelp: {
      one: 'Se elimina {count} publicación, y no se publica nada de ella. No se puede deshacer. Lo publicado se queda.',
      other:
        'Se eliminan {count} publicaciones, y no se publica nada de ellas. No se puede deshacer. Lo publicado se queda.',
    },
    done: 'Listo',
  },
  results: {
    shifted: {
      all: { one: '{count} publicación desplazada.', other: '{count} publicaciones desplazadas.' },
      some: {
        one: 'Desplazadas {done} de {count} publicación. Las demás siguen como estaban:',
        other: 'Desplazadas {done} de {count} publicaciones. Las demás siguen como estaban:',
      },
    },
    moved: {
      all: { one: '{count} publicación movida.', other: '{count} publicaciones movidas.' },
      some: {
        one: 'Movidas {done} de {count} publicación. Las demás siguen como estaban:',
        other: 'Movidas {done} de {count} publicaciones. Las demás siguen como estaban:',
      },
    },
    movedBack: {
      all: { one: '{count} publicación devuelta a su sitio.', other: '{count} publicaciones devueltas a su sitio.' },
      some: {
        one: 'Devueltas a su sitio {done} de {count} publicación. Las demás siguen como estaban:',
        other: 'Devueltas a su sitio {done} de {count} publicaciones. Las demás siguen como estaban:',
      },
    },
    retried: {
      all: { one: '{count} publicación reintentada.', other: '{count} publicaciones reintentadas.' },
      some: {
        one: 'Reintentadas {done} de {count} publicación. Las demás siguen como estaban:',
        other: 'Reintentadas {done} de {count} publicaciones. Las demás siguen como estaban:',
      },
    },
    deleted: {
      all: { one: '{count} publicación eliminada.', other: '{count} publicaciones eliminadas.' },
      some: {
        one: 'Eliminadas {done} de {count} publicación. Las demás siguen como estaban:',
        other: 'Eliminadas {done} de {count} publicaciones. Las demás siguen como estaban:',
      },
    },
  },
} satisfies Translated<typeof english>
