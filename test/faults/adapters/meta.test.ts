import { isOfMeta, testNetworks } from '../../helpers/network-table.ts'

testNetworks('every kind', isOfMeta)
