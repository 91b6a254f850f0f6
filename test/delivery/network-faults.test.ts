import { isOfMeta, testNetworkFaults } from '../helpers/network-faults.ts'

// Meta's networks are in a file of their own, which runs at the same time.
testNetworkFaults((id) => !isOfMeta(id))
