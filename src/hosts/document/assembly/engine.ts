/** Writes a number as the JavaScript engine does, and returns the address after it. */
@external('engine', 'write')
export declare function writeByEngine(at: usize, value: f64): usize;
