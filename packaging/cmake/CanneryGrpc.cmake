# SPDX-License-Identifier: Apache-2.0
include_guard(GLOBAL)

# cannery_grpc_runtime: gRPC without its encryption. Linked statically if the
# archives are installed: loading its fifty shared libraries takes 10 ms per command, the archives 2.
add_library(cannery_grpc_runtime INTERFACE)

set(archives "")
foreach(name grpc++_unsecure grpc_unsecure gpr address_sorting upb)
  find_library(CANNERY_ARCHIVE_${name} lib${name}.a)
  mark_as_advanced(CANNERY_ARCHIVE_${name})
  list(APPEND archives ${CANNERY_ARCHIVE_${name}})
endforeach()
if(archives MATCHES "NOTFOUND")
  set(archives "")
else()
  get_filename_component(folder ${CANNERY_ARCHIVE_gpr} DIRECTORY)
  file(GLOB abseil ${folder}/libabsl_*.a)
endif()

if(archives AND abseil)
  list(APPEND archives ${abseil})
  list(JOIN archives "," archives)
  target_link_libraries(cannery_grpc_runtime INTERFACE
    "$<LINK_GROUP:RESCAN,${archives}>" cares re2 ZLIB::ZLIB Threads::Threads ${CMAKE_DL_LIBS} rt)
else()
  target_link_libraries(cannery_grpc_runtime INTERFACE gRPC::grpc++_unsecure)
endif()
