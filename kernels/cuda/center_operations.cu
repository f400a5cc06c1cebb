// SPDX-License-Identifier: Apache-2.0
#include "kernels/accelerator/bodies/center_sums.h"
#include "kernels/accelerator/bodies/centers.h"
#include "kernels/cuda/launch.cuh"

namespace cannery::kernels::cuda {

template void queue(CudaLauncher&, const DivideByLength&);
template void queue(CudaLauncher&, const CenterDistances&);
template void queue(CudaLauncher&, const NearestCenters&);
template void queue(CudaLauncher&, const SumByCenter&);
template void queue(CudaLauncher&, const MoveCenters&);
template void queue(CudaLauncher&, const BeginIteration&);

} // namespace cannery::kernels::cuda
