// SPDX-License-Identifier: Apache-2.0
#include "kernels/accelerator/bodies/recurrent.h"
#include "kernels/accelerator/bodies/steps.h"
#include "kernels/cuda/launch.cuh"

namespace cannery::kernels::cuda {

template void queue(CudaLauncher&, const PlaceSteps&);
template void queue(CudaLauncher&, const GatherSteps&);
template void queue(CudaLauncher&, const GatherStepIds&);
template void queue(CudaLauncher&, const CountIds&);
template void queue(CudaLauncher&, const RepeatSteps&);
template void queue(CudaLauncher&, const SumSteps&);
template void queue(CudaLauncher&, const RecurrentForward&);
template void queue(CudaLauncher&, const RecurrentBackward&);

} // namespace cannery::kernels::cuda
