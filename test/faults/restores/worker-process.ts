import { connect } from '../../../db/client.ts'
import { work } from '../../../src/run/worker/loop.ts'
import { publish } from '../../../src/run/worker/publish.ts'
import { noLog } from '../../helpers/log-record.ts'
import { createWorker } from './worker.ts'

const [databaseUrl = '', mediaDir = '', networksUrl = ''] = process.argv.slice(2)

process.on('disconnect', () => process.exit())
const db = connect({ url: databaseUrl, poolMax: 4 })
void work([publish(createWorker(db, mediaDir, networksUrl), noLog)], noLog, new Promise(() => {}))
