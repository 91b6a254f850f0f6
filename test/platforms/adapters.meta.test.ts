import { isOfMeta, testNetworks } from '../helpers/network-table.ts'

testNetworks(isOfMeta)
