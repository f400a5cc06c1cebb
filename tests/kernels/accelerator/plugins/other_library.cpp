// SPDX-License-Identifier: Apache-2.0

// A library that is not a plug-in.
extern "C" int nothingOfUse();
int nothingOfUse()
{
    return 0;
}
