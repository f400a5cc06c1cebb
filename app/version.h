// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace cannery {

/// "0.2.0 (6fd72c9)": the version and the commit that was built, with "+" after it where files had
/// been changed since; "0.2.0" if git did not know the commit. Lives as long as the program.
const char* versionWithCommit();

} // namespace cannery
