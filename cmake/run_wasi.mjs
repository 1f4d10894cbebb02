// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// node run_wasi.mjs PROGRAM [ARGUMENT...]: runs a program that was compiled to WebAssembly. It sees the
// files of this machine.

import {readFile} from 'node:fs/promises';
import {WASI} from 'node:wasi';

const [program, ...rest] = process.argv.slice(2);
const wasi = new WASI({version: 'preview1', args: [program, ...rest], preopens: {'/': '/'}, returnOnExit: true});
const module = await WebAssembly.compile(await readFile(program));
const instance = await WebAssembly.instantiate(module, {wasi_snapshot_preview1: wasi.wasiImport});
process.exitCode = wasi.start(instance);
