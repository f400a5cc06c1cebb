// SPDX-License-Identifier: Apache-2.0
// Rules of k-means: where its centers start.

#include "core/spec/checks/validation_context.h"
#include "core/spec/message_access.h"

namespace cannery::spec {

namespace {

constexpr ErrorKind kGivenCenters{
    "spec.given_clusters",
    "{0} numbers are no {1} centers: give all coordinates of each, one center after another."};
constexpr ErrorKind kFirstBatch{
    "spec.clusters_of_first_batch",
    "{0} centers start at rows of the first batch, which has {1} rows: raise batch_size to {0}, or "
    "give the centers (initial_clusters {{ given {{ … }} }})."};

} // namespace

void checkClusters(ValidationContext& context)
{
    const auto* member = dynamic_cast<const KMeans*>(memberOf(context.experiment.estimator()));
    if (member == nullptr || member->num_clusters() < 1) {
        return;
    }
    const KMeans& kmeans = *member;
    if (kmeans.initial_clusters().has_given()) {
        const int count = kmeans.initial_clusters().given().value_size();
        if (count % kmeans.num_clusters() != 0) {
            context.report(
                SpecPath{}
                    .child("estimator")
                    .child("kmeans")
                    .child("initial_clusters")
                    .child("given")
                    .child("value"),
                error(ErrorCode::InvalidArgument, kGivenCenters, count, kmeans.num_clusters()));
        }
        return;
    }
    const std::int64_t batch = context.experiment.train_spec().input().batch_size();
    if (batch > 0 && batch < kmeans.num_clusters()) {
        context.report(
            SpecPath{}.child("train_spec").child("input").child("batch_size"),
            error(ErrorCode::InvalidArgument, kFirstBatch, kmeans.num_clusters(), batch));
    }
}

} // namespace cannery::spec
