// SPDX-License-Identifier: Apache-2.0
#include "kernels/accelerator/plugin.h"

// A plug-in of another version of Cannery.
extern "C" const cannery::kernels::PluginDescription canneryAcceleratorPlugin;
const cannery::kernels::PluginDescription canneryAcceleratorPlugin{
    .build = CANNERY_OTHER_BUILD, .make = []() -> cannery::kernels::AcceleratorPlugin* {
        __builtin_trap(); // nothing of it may be called
    }};
