import { testFlavours } from '../../helpers/network-table.ts'

testFlavours('every kind')
