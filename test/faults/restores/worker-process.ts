import { connect } from '../../../db/client.ts'
import { work } from '../../../src/delivery/worker-loop.ts'
import { noLog } from '../../helpers/log-record.ts'
import { createWorker } from './worker.ts'

const [databaseUrl = '', mediaDir = '', networksUrl = ''] = process.argv.slice(2)

process.on('disconnect', () => process.exit())
const db = connect({ url: databaseUrl, poolMax: 4 })
void work(createWorker(db, mediaDir, networksUrl), noLog, new Promise(() => {}))
