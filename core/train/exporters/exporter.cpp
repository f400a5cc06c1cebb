#include "core/train/exporters/exporter.h"

#include "storage/io/files.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace cannery::train {
namespace {

std::string exportBaseOf(const std::string& name, const ExportOccasion& occasion)
{
    return storage::joinPath(storage::joinPath(occasion.modelDir, "export"), name);
}

bool isTimestamp(const std::string& name)
{
    return name.size() == 10 && std::all_of(name.begin(), name.end(), [](unsigned char letter) {
               return std::isdigit(letter) != 0;
           });
}

} // namespace

Result<ExportResult> exportAs(const std::string& name, spec::Receiver::Kind receiver,
                              const ExportOccasion& occasion)
{
    Result<std::string> path = occasion.exportModel({.exportBase = exportBaseOf(name, occasion),
                                                     .checkpoint = occasion.evaluation.checkpoint,
                                                     .receiver = receiver});
    if (!path) {
        return tl::make_unexpected(std::move(path).error().with("exporter " + name));
    }
    return ExportResult{
        .exporter = name, .path = *path, .globalStep = occasion.evaluation.globalStep};
}

Result<void> deleteOldExports(const std::string& exportBase, std::int64_t keep)
{
    if (keep <= 0 || !storage::isFolder(exportBase)) {
        return {};
    }
    CANNERY_TRY_ASSIGN(std::vector<std::string> names, storage::listFolder(exportBase));
    std::erase_if(names, [](const std::string& name) { return !isTimestamp(name); });
    for (std::size_t i = 0; i + static_cast<std::size_t>(keep) < names.size(); ++i) {
        CANNERY_TRY(storage::removeTree(storage::joinPath(exportBase, names[i])));
    }
    return {};
}

} // namespace cannery::train
