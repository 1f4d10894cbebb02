// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Files of the user's own.

/// Offers bytes as a download.
export function download(name, bytes) {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([bytes], {type: 'application/octet-stream'}));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/// Lets the user choose a file. Resolves to its bytes, or to null.
export function pickFile() {
    const input = document.createElement('input');
    input.type = 'file';
    input.accept = '.jbw,.snap';
    return new Promise(resolve => {
        input.oncancel = () => resolve(null);
        input.onchange = async () => resolve(input.files.length > 0 ? await input.files[0].arrayBuffer() : null);
        input.click();
    });
}
