/** A variable of the environment has an invalid value. */
export class ConfigError extends Error {}
