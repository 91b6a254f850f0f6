import type { calendar as english } from '../en/calendar.ts'
import type { Translated } from '../table.ts'

export const calendar = {
  calendar: 'Calendário',
  today: 'Hoje',
  view: 'Visualização',
  views: { month: 'Mês', week: 'Semana', list: 'Lista' },
  allPosts: 'Todos os posts',
  select: 'Selecionar',
  newPost: 'Novo post',
  newPostOn: 'Novo post: {time}',
  nothing: 'Nada está agendado aqui.',
  nothingYet: 'Nada está agendado aqui. {link} ou clique em um dia livre.',
  compose: 'Escreva um post',
  day: { one: '{day}, {count} post', other: '{day}, {count} posts' },
  fewer: 'Menos',
  more: { one: 'mais {count}', other: 'mais {count}' },
  shareOf: '{count} de {total}',
  night: 'Horas da noite',
  fold: 'Recolher a noite',
  unfold: 'Expandir a noite',
  filters: {
    words: 'Palavras ou referência',
    search: 'Buscar posts',
    network: 'Rede',
    networks: 'Todas as redes',
    state: 'Estado',
    states: 'Todos os estados',
  },
  list: {
    order: 'Ordem',
    latest: 'Todos, os últimos primeiro',
    next: 'De agora em diante, os próximos primeiro',
    none: 'Nenhum post corresponde aos filtros. Um post sem horário fica nos rascunhos.',
  },
  drafts: {
    title: 'Rascunhos',
    drop: 'Solte um post aqui para levá-lo de volta aos rascunhos.',
    none: 'Nenhum rascunho.',
    noneYet: 'Nenhum rascunho. Um post sem horário é um.',
    more: 'Mais rascunhos',
  },
  moves: {
    changed: 'o post mudou nesse meio-tempo, veja de novo',
    past: '{time} já passou. Para publicar o post agora, abra-o.',
    failed: 'Não movido: {reason}',
    moved: 'Movido para {time}.',
    scheduled: 'Agendado para {time}.',
    withdrawn: 'De volta aos rascunhos.',
    cancelled: 'está cancelado para {accounts}, que o receberia de novo. Abra no editor.',
    noTime: 'um rascunho não tem horário',
    published: 'já está publicado',
  },
  bulk: {
    title: 'Posts selecionados',
    selected: { one: '{count} selecionado', other: '{count} selecionados' },
    selectShown: 'Selecionar todos os exibidos',
    selectPost: 'Selecionar: {text}',
    shift: 'Deslocar',
    shiftHelp: 'Cada post mantém o horário do dia. Rascunhos e posts publicados ficam como estão.',
    days: 'Dias, menos de 0 para antes',
    moveTo: 'Mover para um dia',
    moveHelp: 'Cada post mantém o horário do dia. Rascunhos recebem um e são agendados.',
    day: 'Dia',
    retryHelp: {
      one: 'O que falta de {count} dos posts é enviado em segundos, para cada conta em que falhou ou se perdeu.',
      other: 'O que falta de {count} dos posts é enviado em segundos, para cada conta em que falharam ou se perderam.',
    },
    deleteHelp: {
      one: '{count} post é excluído, e nada dele é publicado. Isto não pode ser desfeito. Posts publicados ficam.',
      other:
        '{count} posts são excluídos, e nada deles é publicado. Isto não pode ser desfeito. Posts publicados ficam.',
    },
    done: 'Pronto',
  },
  results: {
    shifted: {
      all: { one: '{count} post deslocado.', other: '{count} posts deslocados.' },
      some: {
        one: '{done} de {count} post deslocado. Os outros estão como estavam:',
        other: '{done} de {count} posts deslocados. Os outros estão como estavam:',
      },
    },
    moved: {
      all: { one: '{count} post movido.', other: '{count} posts movidos.' },
      some: {
        one: '{done} de {count} post movido. Os outros estão como estavam:',
        other: '{done} de {count} posts movidos. Os outros estão como estavam:',
      },
    },
    movedBack: {
      all: { one: '{count} post devolvido ao lugar.', other: '{count} posts devolvidos ao lugar.' },
      some: {
        one: '{done} de {count} post devolvido ao lugar. Os outros estão como estavam:',
        other: '{done} de {count} posts devolvidos ao lugar. Os outros estão como estavam:',
      },
    },
    retried: {
      all: { one: '{count} post tentado novamente.', other: '{count} posts tentados novamente.' },
      some: {
        one: '{done} de {count} post tentado novamente. Os outros estão como estavam:',
        other: '{done} de {count} posts tentados novamente. Os outros estão como estavam:',
      },
    },
    deleted: {
      all: { one: '{count} post excluído.', other: '{count} posts excluídos.' },
      some: {
        one: '{done} de {count} post excluído. Os outros estão como estavam:',
        other: '{done} de {count} posts excluídos. Os outros estão como estavam:',
      },
    },
  },
} satisfies Translated<typeof english>
