// The root of every value that is not a plain JavaScript one, so that one test tells them from decoded JSON.

export abstract class Boxed {}
