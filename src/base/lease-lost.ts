/** Another worker has taken over the work of this one, which may neither send nor store anything of it any more. */
export class LeaseLost extends Error {}
