import { isOfMeta, testNetworkFaults } from '../helpers/network-faults.ts'

testNetworkFaults(isOfMeta)
