import type { problems as english } from '../en/problems.ts'
import type { Translated } from '../table.ts'

export const problems = {
  codes: {
    missing_api_key: ['Der Schlüssel ist nicht gültig', 'Verwenden Sie einen anderen.'],
    invalid_api_key: ['Der Schlüssel ist nicht gültig', 'Verwenden Sie einen anderen.'],
    expired_api_key: ['Der Schlüssel ist nicht mehr gültig', 'Verwenden Sie einen anderen.'],
    insufficient_scope: ['Der Schlüssel erlaubt das nicht', 'Verwenden Sie einen mit mehr Rechten.'],
    account_list: ['Der Schlüssel gilt nur für einige Konten', 'Verwenden Sie einen für alle Konten.'],
    idempotency_key_reused: [
      'Eine frühere Fassung dieses Beitrags ist schon gespeichert',
      'Sehen Sie sie an, oder machen Sie hieraus einen anderen Beitrag.',
    ],
    precondition_failed: [
      'Der Beitrag wurde inzwischen geändert',
      'Gehen Sie zurück, um ihn zu sehen. Ihre Eingaben bleiben erhalten.',
    ],
    post_not_found: ['Diesen Beitrag gibt es nicht mehr', 'Suchen Sie ihn im Kalender.'],
    post_published: ['Der Beitrag ist schon veröffentlicht', 'Senden Sie ihn erneut an die Konten, denen er fehlt.'],
    post_cancelled: [
      'Der Beitrag ist für alle seine Konten abgebrochen',
      'Senden Sie ihn erneut an die Konten, die ihn bekommen sollen.',
    ],
    time_in_past: ['Die Zeit ist vergangen', 'Um den Beitrag jetzt zu veröffentlichen, öffnen Sie ihn.'],
    post_busy: ['Der Beitrag wird gerade gesendet', 'Warten Sie, bis er veröffentlicht oder fehlgeschlagen ist.'],
    post_is_draft: ['Der Beitrag ist ein Entwurf', 'Planen oder veröffentlichen Sie ihn zuerst.'],
    delivery_not_due: [
      'Seine Zeit ist noch nicht gekommen',
      'Veröffentlichen Sie den Beitrag, um ihn jetzt zu senden.',
    ],
    delivery_in_progress: ['Er wird gerade gesendet', 'Sehen Sie in einer halben Minute wieder nach.'],
    delivery_unconfirmed: [
      'Vielleicht ist er veröffentlicht',
      'Sehen Sie im Netzwerk nach, und geben Sie dann an, ob er dort steht.',
    ],
    delivery_not_unconfirmed: ['Das Ergebnis ist schon bekannt', 'Gehen Sie zurück, um es zu sehen.'],
    delivery_not_queued: ['Er wird nicht gesendet', 'Gehen Sie zurück, um seinen Zustand zu sehen.'],
    delivery_removed: [
      'Er ist entfernt oder wird gleich entfernt',
      'Verfassen Sie einen neuen Beitrag, um ihn wieder zu veröffentlichen.',
    ],
    media_in_use: [
      'Ein Beitrag, der noch erscheinen soll, verwendet die Datei',
      'Nehmen Sie die Datei zuerst aus dem Beitrag.',
    ],
    media_used_elsewhere: ['Auch andere Konten verwenden die Datei', 'Verwenden Sie einen Schlüssel für alle Konten.'],
    media_in_too_many_posts: [
      'Zu viele Beiträge verwenden die Datei',
      'Ändern Sie sie, wenn weniger davon noch erscheinen sollen.',
    ],
    media_not_found: ['Diese Datei gibt es nicht mehr', 'Suchen Sie sie in der Mediathek.'],
    account_not_found: ['Dieses Konto gibt es nicht mehr', 'Verbinden Sie es wieder.'],
    schedule_not_found: ['Das Konto hat keine Slots', 'Fügen Sie auf der Seite der Konten welche hinzu.'],
    queue_without_slots: [
      'Ein Konto des Beitrags hat keine Slots',
      'Fügen Sie auf der Seite der Konten welche hinzu, oder wählen Sie eine Zeit.',
    ],
    queue_full: ['Kein Slot ist frei', 'Fügen Sie auf der Seite der Konten welche hinzu, oder wählen Sie eine Zeit.'],
  },
  deliveries: {
    rate_limited: ['Das Netzwerk bittet um eine Pause', 'Der Beitrag wird von selbst wieder gesendet.'],
    reconnect_required: [
      'Der Zugang zum Konto ist abgelaufen',
      'Verbinden Sie das Konto neu, und senden Sie dann erneut.',
    ],
    unauthorized: [
      'Das Netzwerk akzeptiert den Zugang zum Konto nicht',
      'Verbinden Sie das Konto neu, und senden Sie dann erneut.',
    ],
    content_refused: [
      'Das Netzwerk nimmt diesen Inhalt nicht an',
      'Korrigieren Sie den Beitrag, und senden Sie erneut.',
    ],
    unreachable: [
      'Das Netzwerk war nicht erreichbar',
      'Nichts wurde gesendet. Senden Sie erneut, wenn es wieder da ist.',
    ],
    timeout: ['Das Netzwerk hat nicht rechtzeitig geantwortet', 'Sehen Sie dort nach, ob der Beitrag erschienen ist.'],
    disconnected: ['Die Verbindung zum Netzwerk brach ab', 'Sehen Sie dort nach, ob der Beitrag erschienen ist.'],
    server_error: ['Das Netzwerk hatte eine Störung', 'Senden Sie später erneut.'],
    unexpected_answer: [
      'Die Antwort des Netzwerks war nicht verständlich',
      'Sehen Sie dort nach, ob der Beitrag erschienen ist.',
    ],
    app_restricted: [
      'Das Netzwerk schränkt diesen Dienst ein',
      'Sein Betreiber muss handeln. Beiträge warten und gehen danach von selbst hinaus.',
    ],
    account_restricted: [
      'Das Netzwerk schränkt das Konto ein',
      'Tun Sie im Netzwerk, was es verlangt. Einige Stunden lang wird es wieder versucht.',
    ],
    inbox_full: [
      'Das Konto hat zu viele unfertige Entwürfe im Netzwerk',
      'Stellen Sie einige davon dort fertig, oder löschen Sie sie.',
    ],
    media_unreadable: ['Eine Datei des Beitrags war nicht lesbar', 'Ersetzen Sie die Datei, und senden Sie erneut.'],
    media_unconvertible: ['Ein Video ließ sich nicht anpassen', 'Ersetzen Sie das Video, und senden Sie erneut.'],
    storage_unavailable: ['Die Dateien des Dienstes waren nicht erreichbar', 'Senden Sie später erneut.'],
    public_url_missing: [
      'Das Netzwerk kann bei diesem Dienst keine Dateien abholen',
      'Sein Betreiber muss dem Dienst eine öffentliche Adresse geben.',
    ],
    database_unavailable: ['Der Dienst hatte eine Störung', 'Senden Sie später erneut.'],
    media_deleted: [
      'Eine Datei des Beitrags wurde gelöscht',
      'Verwenden Sie den Beitrag noch einmal, mit einer anderen Datei.',
    ],
    not_connected: ['Das Konto ist nicht verbunden', 'Verbinden Sie es, und senden Sie dann erneut.'],
    no_access: ['Das Konto gehört Ihnen nicht mehr', 'Verbinden Sie es wieder, und verfassen Sie einen neuen Beitrag.'],
    credentials_unreadable: ['Der Dienst kann den Zugang zum Konto nicht lesen', 'Sein Betreiber muss handeln.'],
    interrupted: [
      'Der Dienst wurde beim Senden unterbrochen',
      'Sehen Sie im Netzwerk nach, ob der Beitrag erschienen ist.',
    ],
    unknown_outcome: [
      'Das Netzwerk sagt nicht, ob es den Beitrag hat',
      'Sehen Sie dort nach, und geben Sie dann an, ob er erschienen ist.',
    ],
    late_call: ['Ein früherer Aufruf des Netzwerks kann noch ankommen', 'Es geht von selbst weiter.'],
    not_published: [
      'Jemand hat angegeben, dass er nicht dort ist',
      'Senden Sie ihn erneut, wenn er noch erscheinen soll.',
    ],
    parent_unknown: [
      'Der Rest kann nicht gesendet werden, weil der Teil davor nicht bekannt ist',
      'Veröffentlichen Sie den Rest von Hand, oder entfernen Sie den Beitrag und senden Sie ihn neu.',
    ],
    cancelled: ['Jemand hat ihn abgebrochen', 'Senden Sie ihn erneut, wenn er noch erscheinen soll.'],
    too_late: ['Er war zu lange fällig', 'Senden Sie ihn erneut, wenn er noch erscheinen soll.'],
    held: ['Der Betreiber des Dienstes hält ihn zurück', 'Fragen Sie den Betreiber.'],
    restored: [
      'Der Dienst wurde aus einer Sicherung wiederhergestellt',
      'Sehen Sie im Netzwerk nach, und senden Sie erneut, wenn er fehlt.',
    ],
    budget_used_up: [
      'Das Budget deckt seinen Preis nicht',
      'Erhöhen Sie das Budget, oder warten Sie bis zum nächsten Monat, und senden Sie dann erneut.',
    ],
    internal_error: [
      'Der Dienst hatte einen unerwarteten Fehler',
      'Senden Sie später erneut. Geben Sie dem Betreiber die Einzelheiten, wenn es so bleibt.',
    ],
  },
  attention: {
    not_connected: 'Das Konto hat keine Zugangsdaten. Verbinden Sie es, oder veröffentlichen Sie von Hand.',
    paused: 'Das Konto ist pausiert. Seine Beiträge warten, bis es fortgesetzt wird.',
    unauthorized: 'Das Netzwerk akzeptiert den Zugang zum Konto nicht. Verbinden Sie es neu.',
    reconnect_required: 'Der Zugang zum Konto ist abgelaufen. Verbinden Sie es neu.',
    refresh_failed:
      'Der Zugang zum Konto ist abgelaufen und konnte noch nicht erneuert werden; es wird wieder versucht. Verbinden Sie es neu, wenn es so bleibt.',
    app_missing:
      'Die App, mit der das Konto verbunden wurde, ist nicht mehr eingerichtet. Der Betreiber muss sie wiederherstellen, oder das Konto wird neu verbunden.',
    scopes_missing: 'Das Netzwerk erlaubt weniger, als zum Veröffentlichen nötig ist. Verbinden Sie das Konto neu.',
    expiring: 'Der Zugang zum Konto läuft bald ab und lässt sich nicht erneuern. Verbinden Sie es vorher neu.',
    app_not_approved:
      'Das Netzwerk hat die App dieses Dienstes noch nicht genehmigt. Sein Betreiber muss die Genehmigung einholen.',
    account_restricted: 'Das Netzwerk schränkt das Konto ein. Tun Sie dort, was es verlangt.',
    app_restricted: 'Das Netzwerk schränkt diesen Dienst ein. Sein Betreiber muss handeln, und Beiträge warten.',
    credentials_unreadable: 'Der Dienst kann den Zugang zum Konto nicht lesen. Sein Betreiber muss handeln.',
  },
  warnings: {
    unused_thread_parts: 'Es ist kein Thread: Weitere Teile werden aufbewahrt und nicht veröffentlicht.',
    unknown_field: 'Das Netzwerk kennt eine Option nicht, sie hat keine Wirkung.',
    unused_field: 'Eine Option hat in diesem Beitrag keine Wirkung.',
    unused_alt_text: 'Das Netzwerk nimmt die Beschreibung einer Datei nicht an und bekommt die Datei ohne sie.',
    omitted_suffix: 'Der Text geht ohne die Signatur des Kontos hinaus, die ihn zu lang machen würde.',
    altered_text: 'Das Netzwerk lässt einen Teil des Textes weg, etwa einen Link oder eine Formatierung.',
    text_cut: 'Das Netzwerk schneidet das Ende eines Textes ab, der zu lang ist.',
    may_be_refused: 'Das Netzwerk lehnt das vielleicht ab, obwohl es seine genannten Grenzen einhält.',
    past_time: 'Sein Zeitpunkt ist vorbei. Er geht hinaus, sobald er gespeichert wird.',
    removed_time_zone: 'Er hat keine Zeitzone mehr, weil sein neuer Zeitpunkt einen festen Abstand zu UTC hat.',
    account_attention: 'Auf dem Konto kann zurzeit nichts veröffentlicht werden. Sein Inhaber muss handeln.',
    repeated_text: 'Derselbe Text ist innerhalb einer Woche um diesen Beitrag geplant oder erschienen.',
    close_posts: 'Ein anderer Beitrag ist kurz vor oder nach diesem geplant oder erschienen.',
    daily_limit: 'Das Konto hat an einem Tag etwa so viele Beiträge, wie sein Netzwerk erlaubt.',
  },
  named: {
    unknown_field: '{name}: Das Netzwerk kennt die Option nicht, sie hat keine Wirkung.',
    unused_field: '{name}: Die Option hat in diesem Beitrag keine Wirkung.',
  },
  openPost: 'Diesen Beitrag öffnen',
  sentence: '{happened}. {todo}',
  unreachable: 'Der Dienst ist nicht erreichbar',
  failed: 'Das hat nicht geklappt',
  tooMany: 'Zurzeit zu viele Anfragen',
  busy: 'Der Dienst kann zurzeit nicht antworten',
  invalid: 'Eine Eingabe stimmt nicht',
  skipped: 'Die Uhren überspringen an diesem Tag diese Zeit: Wählen Sie eine andere',
  twice: 'Die Uhren zeigen an diesem Tag diese Zeit zweimal: Wählen Sie eine andere Stunde',
  place: '{name} {number}',
  isRetried: {
    one: 'In {count} Sekunde wird es wieder versucht.',
    other: 'In {count} Sekunden wird es wieder versucht.',
  },
  wait: { one: 'Versuchen Sie es in {count} Sekunde wieder.', other: 'Versuchen Sie es in {count} Sekunden wieder.' },
  again: 'Noch einmal versuchen',
  details: 'Einzelheiten',
  request: 'Anfrage {id}',
  connectionLost: 'Die Verbindung ist abgebrochen',
} satisfies Translated<typeof english>
