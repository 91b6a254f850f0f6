import { report } from '../../helpers/report.ts'
import { soakTest } from '../../helpers/soak-test.ts'
import type { Restarts } from './run.ts'

/** Runs restarts.test.ts with more restarts, and exits with its status: `node test/faults/restarts/soak.ts [RESTARTS]`. */
const [restarts = '50'] = process.argv.slice(2)

const { responses, breaches } = soakTest<Restarts>('restarts/restarts', { RESTARTS: restarts })
report('restarts', [{ restarts, ...responses, breaches: breaches.length }], { breaches })
