# SPDX-License-Identifier: Apache-2.0
# cmake -D root=... -D number=... -D output=... -P write_version.cmake
# Writes app/version.cpp if the commit has changed. Runs with every build, because a commit does not
# reconfigure.
set(version ${number})
execute_process(COMMAND git -C ${root} describe --always --dirty=+ --match=no-tag --abbrev=7
                OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE
                RESULT_VARIABLE failed ERROR_QUIET)
if(NOT failed)
  set(version "${number} (${commit})")
endif()
configure_file(${root}/app/version.cpp.in ${output} @ONLY)
