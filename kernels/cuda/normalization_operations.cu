// SPDX-License-Identifier: Apache-2.0
#include "kernels/accelerator/bodies/batch_norm.h"
#include "kernels/cuda/launch.cuh"

namespace cannery::kernels::cuda {

template void queue(CudaLauncher&, const BatchMoments&);
template void queue(CudaLauncher&, const MergeMoments&);
template void queue(CudaLauncher&, const BatchNormalize&);
template void queue(CudaLauncher&, const BatchNormParameterGradients&);
template void queue(CudaLauncher&, const MergeBatchNormGradients&);
template void queue(CudaLauncher&, const BatchNormSrcGradient&);

} // namespace cannery::kernels::cuda
