import { testOddBodies } from '../../helpers/odd-bodies-table.ts'

testOddBodies('every kind')
