/** The clock port: the only way the pure rooms' shells learn the time. */
export interface Clock {
  now(): Date;
}
