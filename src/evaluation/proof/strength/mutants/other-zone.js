/* A clock in another time zone and language, in the place of `Date` in one body of a component: it moves what is local, and nothing else. */
export const createOtherDate = (Real, hours) => {
  const shift = hours * 3_600_000;
  // The text of a date alone, and one that names its zone, mean the same everywhere.
  const isLocal = (text) => !/^[+-]?\d+-\d\d-\d\d$|Z$|GMT|UTC|[+-]\d\d:?\d\d$/i.test(text.trim());
  const parse = (text) => Real.parse(text) - (isLocal(String(text)) ? shift : 0);
  const read = (given) => {
    if (given.length > 1) return [Real.UTC(...given) - shift];
    return typeof given[0] === 'string' ? [parse(given[0])] : given;
  };
  class OtherDate extends Real {
    constructor(...given) {
      super(...read(given));
    }
    static parse(text) {
      return parse(text);
    }
    getTimezoneOffset() {
      return -60 * hours;
    }
  }
  const moved = (date) => new Real(date.getTime() + shift);
  for (const part of ['FullYear', 'Month', 'Date', 'Day', 'Hours', 'Minutes', 'Seconds', 'Milliseconds']) {
    OtherDate.prototype[`get${part}`] = function () {
      return moved(this)[`getUTC${part}`]();
    };
    OtherDate.prototype[`set${part}`] = function (...given) {
      const local = moved(this);
      local[`setUTC${part}`](...given);
      return this.setTime(local.getTime() - shift);
    };
  }
  for (const name of ['toString', 'toDateString', 'toTimeString']) {
    OtherDate.prototype[name] = function () {
      return moved(this)[name]();
    };
  }
  for (const name of ['toLocaleString', 'toLocaleDateString', 'toLocaleTimeString']) {
    OtherDate.prototype[name] = function (language = 'de-AT', options = {}) {
      return (options.timeZone === undefined ? moved(this) : this.getNative())[name](language, options);
    };
  }
  OtherDate.prototype.getNative = function () {
    return new Real(this.getTime());
  };
  return OtherDate;
};
