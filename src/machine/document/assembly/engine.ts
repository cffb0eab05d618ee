/** Writes a number as the JavaScript engine does; returns the address after it. */
@external('engine', 'write')
export declare function writeByEngine(at: usize, value: f64): usize;
