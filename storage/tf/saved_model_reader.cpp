#include "storage/tf/saved_model_reader.h"

#include "storage/io/files.h"
#include "storage/tf/checkpoint_reader.h"
#include "storage/tf/meta_graph_codec.h"
#include "storage/tf/proto_convert.h"
#include "storage/tf/schema/saved_model.pb.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

namespace cannery::storage {

namespace {

constexpr std::size_t kMaxBytes = (std::size_t{1} << 31U) - 1;

constexpr ErrorKind kNoSavedModel{
    "saved_model.missing", "There is no SavedModel in {}: neither saved_model.pb nor .pbtxt."};
constexpr ErrorKind kDamaged{"saved_model.damaged",
                             "The file {} is no SavedModel, or damaged. Export it again."};

/// TextFormat writes to the log otherwise.
class Silent final : public google::protobuf::io::ErrorCollector
{
public:
    void AddError(int, google::protobuf::io::ColumnNumber, const std::string&) override {}
};

bool parseText(const std::string& text, tensorflow::SavedModel& proto)
{
    Silent silent;
    google::protobuf::TextFormat::Parser parser;
    parser.RecordErrorsTo(&silent);
    parser.AllowUnknownField(true);
    return parser.ParseFromString(text, &proto);
}

} // namespace

Result<SavedModelContent> readSavedModel(const std::string& folder)
{
    const std::string binary = joinPath(folder, "saved_model.pb");
    const std::string text = joinPath(folder, "saved_model.pbtxt");
    const bool isBinary = exists(binary);
    if (!isBinary && !exists(text)) {
        return fail(ErrorCode::NotFound, kNoSavedModel, folder);
    }
    const std::string& path = isBinary ? binary : text;
    CANNERY_TRY_ASSIGN(const std::string bytes, readWholeFile(path, kMaxBytes));
    tensorflow::SavedModel proto;
    const bool parsed = isBinary ? detail::parseMessage(bytes, proto) : parseText(bytes, proto);
    if (!parsed || proto.meta_graphs_size() == 0) {
        return fail(ErrorCode::DataLoss, kDamaged, path);
    }
    SavedModelContent content;
    for (const tensorflow::MetaGraphDef& metaGraph : proto.meta_graphs()) {
        CANNERY_TRY_ASSIGN(MetaGraph read, detail::fromProto(metaGraph));
        content.metaGraphs.push_back(std::move(read));
    }
    const std::string prefix = joinPath(folder, "variables/variables");
    if (checkpointExists(prefix)) {
        content.checkpointPrefix = prefix;
    }
    return content;
}

} // namespace cannery::storage
